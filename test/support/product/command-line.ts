import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ensureClient } from '../../../scripts/setup/client.mjs'
import { compileCache, venvPython } from '../../../scripts/start/environment.ts'

const root = join(import.meta.dirname, '../../..')
const client = join(root, 'client')
const terminalProgram = join(import.meta.dirname, 'terminal.py')

export const CTRL_C = '\u0003'
const PRINTED_MS = 25_000
/** Before a line of progress is drawn again. */
export const CLEARED_LINE = '\r\u001b[2K'

/** The command `haul` as it is installed, and an empty folder to run it in. */
export interface InstalledHaul {
  folder: string
  /** Runs it to its end, without a terminal. */
  run(args: readonly string[], options?: RunOptions): Promise<Ended>
  /** Another program, such as a shell, that finds `haul` in its PATH. */
  runProgram(program: string, args: readonly string[], options?: RunOptions): Promise<Ended>
  start(args: readonly string[], options?: RunOptions): RunningHaul
  startProgram(command: readonly string[], options: RunOptions): RunningHaul
  /** The same with a terminal as stdin, stdout and stderr. */
  startInTerminal(args: readonly string[], options?: RunOptions & { columns?: number }): RunningHaul
  /** For the next test. */
  emptyFolder(): Promise<void>
  /** Also ends the commands that a failed test has left running. */
  remove(): Promise<void>
}

export interface RunOptions {
  env?: NodeJS.ProcessEnv
  cwd?: string
  /** stdin is this text and then ends. Default: empty. With a terminal: stdin stays open. */
  input?: string
}

export interface Ended {
  stdout: string
  stderr: string
  exitCode: number | null
}

export interface RunningHaul {
  /** stdout and stderr so far. On a terminal both are stdout. */
  output(): { stdout: string; stderr: string }
  /** Resolves when stdout or stderr matches, and rejects if the command ends first. */
  printed(pattern: RegExp): Promise<void>
  type(text: string): void
  endInput(): void
  kill(signal: NodeJS.Signals): void
  ended: Promise<Ended>
}

/** The compiled package in a folder of its own, laid out as npm does. */
export const installHaul = async (): Promise<InstalledHaul> => {
  const place = await mkdtemp(join(tmpdir(), 'haul-command-'))
  const installed = join(place, 'node_modules/haul-client')
  const folder = join(place, 'work')
  await Promise.all([mkdir(installed, { recursive: true }), mkdir(join(place, 'bin')), mkdir(folder)])
  await ensureClient(() => {})
  for (const name of ['bin', 'dist', 'package.json']) {
    await cp(join(client, name), join(installed, name), { recursive: true })
  }
  const manifest = await readFile(join(installed, 'package.json'), 'utf8')
  for (const name of Object.keys(JSON.parse(manifest).dependencies)) {
    await symlink(join(root, 'node_modules', name), join(place, 'node_modules', name))
  }
  const main = join(installed, 'bin/haul.js')
  await symlink(main, join(place, 'bin/haul'))

  const launched: RunningHaul[] = []
  const launch = (command: readonly string[], { env = {}, cwd = folder }: RunOptions): RunningHaul => {
    const [program = '', ...args] = command
    const path = [join(place, 'bin'), dirname(process.execPath), process.env.PATH].join(':')
    const child = spawn(program, args, {
      cwd,
      // What it has started ends with it.
      detached: true,
      env: { ...compileCache, PATH: path, HOME: join(place, 'home'), TERM: 'xterm-256color', ...env },
    })
    const output = { stdout: '', stderr: '' }
    const checks = new Set<() => void>()
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text
        for (const check of checks) check()
      })
    }
    child.stdin.on('error', () => {})
    const ended = once(child, 'close').then(([exitCode]) => ({ ...output, exitCode }))
    const printed = (pattern: RegExp) =>
      new Promise<void>((resolve, reject) => {
        const check = () => pattern.test(output.stdout + output.stderr) && resolve()
        checks.add(check)
        check()
        const shown = () => `without ${pattern}:\n${output.stdout}${output.stderr}`
        ended.then(() => reject(new Error(`The command ended ${shown()}`)))
        // Before the timeout of a test, whose message would not have the output.
        setTimeout(() => reject(new Error(`${PRINTED_MS / 1_000} s have passed ${shown()}`)), PRINTED_MS).unref()
      })
    const running: RunningHaul = {
      output: () => output,
      printed,
      type: (text) => void child.stdin.write(text),
      endInput: () => void child.stdin.end(),
      kill: (signal) => {
        try {
          if (child.pid) process.kill(-child.pid, signal)
        } catch {
          // It has ended.
        }
      },
      ended,
    }
    launched.push(running)
    return running
  }

  const runProgram: InstalledHaul['runProgram'] = async (program, args, options = {}) => {
    const running = launch([program, ...args], options)
    if (options.input !== undefined) running.type(options.input)
    running.endInput()
    return running.ended
  }
  return {
    folder,
    runProgram,
    startProgram: launch,
    run: (args, options) => runProgram('haul', args, options),
    start: (args, options = {}) => launch(['haul', ...args], options),
    startInTerminal: (args, { columns = 80, ...options } = {}) =>
      launch([venvPython, terminalProgram, String(columns), 'haul', ...args], options),
    emptyFolder: async () => {
      for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
    },
    remove: async () => {
      for (const { kill } of launched) kill('SIGKILL')
      await Promise.allSettled(launched.map(({ ended }) => ended))
      await rm(place, { recursive: true, force: true })
    },
  }
}

/** The lines that a terminal shows in the end, after carriage returns and cleared lines. */
export const screenOf = (output: string): string[] =>
  output
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.split(CLEARED_LINE).at(-1) ?? '')
