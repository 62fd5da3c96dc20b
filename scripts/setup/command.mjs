import { spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

const maxOutputBytes = 16_384

/** Runs a command without printing its output. The error of a failed command has the end of its output. */
export const run = (command, args, options = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const keep = (chunk) => {
      output = (output + chunk).slice(-maxOutputBytes)
    }
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) resolve(output)
      else reject(new Error(`\`${[command, ...args].join(' ')}\` failed (${signal ?? code}):\n${output.trim()}`))
    })
  })

/** Whether a program is on the PATH. */
export const isOnPath = async (program) => {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program))
  const found = await Promise.all(
    candidates.map((candidate) =>
      access(candidate, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  )
  return found.includes(true)
}
