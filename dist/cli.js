#!/usr/bin/env node
import{n as e}from"./chunks/main-C3vhWL4G.js";process.exitCode=await e(process.argv.slice(2));export{};