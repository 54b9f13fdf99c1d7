#!/usr/bin/env node
import{n as e}from"./chunks/main-B9JGlHfZ.js";process.exitCode=await e(process.argv.slice(2));export{};