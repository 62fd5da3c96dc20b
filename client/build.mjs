import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Compiles the library and the command line into dist/. */
const here = import.meta.dirname
const compiler = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc')

rmSync(join(here, 'dist'), { recursive: true, force: true })
execFileSync(process.execPath, [compiler, '-p', here, '--noEmit', 'false'], { stdio: 'inherit' })
const command = join(here, 'dist/cli/main.js')
if (existsSync(command)) chmodSync(command, 0o755)
