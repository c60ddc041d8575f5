#!/usr/bin/env node
/** The `pets` command, and in the single executable also the process that copies a database (runApart). */
import { keepCompiledCode } from './compile-cache.js'
import { runProcess } from './process.ts'

keepCompiledCode()
if (process.argv[2] === 'src/store/sqlite/maintenance/snapshot-process')
  await (await import('../store/open.ts')).runSnapshotProcess()
else await runProcess(process.argv.slice(2))
