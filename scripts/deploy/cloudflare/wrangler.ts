import type { StdioOptions } from 'node:child_process'
import { join } from 'node:path'
import { run, runInForeground } from '../../setup/command.mjs'
import { packagesDir, root } from '../../setup/paths.mjs'

const program = join(packagesDir, '.bin/wrangler')

/** With these, wrangler does not prompt, and does not choose an environment by itself. */
const settings = { CI: 'true', WRANGLER_HIDE_BANNER: 'true', CLOUDFLARE_ENV: undefined }

export const runWrangler = async (args: string[], env: NodeJS.ProcessEnv): Promise<void> => {
  const options = args.findIndex((arg) => arg.startsWith('-'))
  const name = `wrangler ${args.slice(0, options).join(' ')}`
  await runProgram(program, args, { env: { ...env, ...settings }, name })
}

export const wranglerOutput = (args: string[], env: NodeJS.ProcessEnv): Promise<string> =>
  run(program, args, { cwd: root, env: { ...env, ...settings } })

/** The program's standard input is empty, so that it cannot wait for an answer. */
export const runProgram = async (
  command: string,
  args: string[],
  { env, name }: { env: NodeJS.ProcessEnv; name: string },
): Promise<void> => {
  const stdio: StdioOptions = ['ignore', 'inherit', 'inherit']
  const code = await runInForeground(command, args, { cwd: root, env, stdio }).catch((cause: Error) => {
    throw new Error(`${name} could not be started: ${cause.message}`)
  })
  if (code !== 0) throw new Error(`${name} failed (code ${code}).`)
}
