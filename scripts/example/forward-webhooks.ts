import { join } from 'node:path'
import { type Child, startChild } from '../start/child.ts'
import { root } from '../start/environment.ts'
import type { Connection } from './connect.ts'

const commandLine = join(root, 'client/dist/cli/main.js')

/**
 * Runs `haul listen` and resolves when it is connected, so that no event of the example is missed. Haul itself sends
 * webhooks to a private address only if ALLOW_PRIVATE_HOSTS names it.
 */
export const forwardWebhooks = (receiverUrl: string, connection: Connection): Promise<Child> =>
  new Promise((resolve, reject) => {
    const onLine = (line: string): void => {
      console.log(`haul listen: ${line}`)
      if (line.startsWith('Listening to')) resolve(child)
    }
    const child = startChild(process.execPath, [commandLine, 'listen', '--forward-to', receiverUrl], {
      cwd: root,
      env: { ...process.env, ...connection },
      // The secret is not printed into logs.
      onLine: (line) => line.includes(connection.HAUL_WEBHOOK_SECRET) || onLine(line),
    })
    child.exited.then(({ reason }) => reject(new Error(`haul listen ended (${reason}).`)))
  })
