#!/usr/bin/env node
/** The `pets` command. */
import { keepCompiledCode } from './compile-cache.js'
import { runProcess } from './process.ts'

keepCompiledCode()
await runProcess(process.argv.slice(2))
