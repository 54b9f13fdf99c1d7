#!/usr/bin/env node
import{n as e}from"./chunks/main-r6VT84mi.js";process.exitCode=await e(process.argv.slice(2));export{};