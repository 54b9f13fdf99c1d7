#!/usr/bin/env node
import{n as e}from"./chunks/main-Cu-IIN71.js";process.exitCode=await e(process.argv.slice(2));export{};