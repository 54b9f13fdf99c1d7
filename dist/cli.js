#!/usr/bin/env node
import{n as e}from"./chunks/main-BQvnC9P5.js";process.exitCode=await e(process.argv.slice(2));export{};