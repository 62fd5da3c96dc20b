import { spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

const keptBytes = 16_384

/** Runs a command in silence. When it fails, what it said last is part of the error. */
export const run = (command, args, options = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    const keep = (chunk) => {
      said = (said + chunk).slice(-keptBytes)
    }
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) resolve(said)
      else reject(new Error(`\`${[command, ...args].join(' ')}\` failed (${signal ?? code}):\n${said.trim()}`))
    })
  })

/** Whether a program stands on the PATH. Nothing is started. */
export const isOnPath = async (program) => {
  const places = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program))
  const found = await Promise.all(
    places.map((place) =>
      access(place, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  )
  return found.includes(true)
}
