import { join } from 'node:path'
import { type Child, startChild } from '../start/child.ts'
import { root } from '../start/environment.ts'
import { commandOf, exampleNames } from './command.ts'
import { type Connection, connect } from './connect.ts'

/** What `npm run example` runs after the set-up. */

const usage = async (): Promise<string> =>
  `Usage: npm run example NAME\nNAME is one of ${(await exampleNames()).join(', ')}.`

const commandLine = join(root, 'client/dist/cli/main.js')

/**
 * Runs `haul listen` and resolves when it is connected, so that no event of the example is missed. Haul itself sends
 * webhooks to a private address only if ALLOW_PRIVATE_HOSTS names it.
 */
const forwardWebhooks = (receiverUrl: string, connection: Connection): Promise<Child> =>
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

const main = async ([name = '', ...args]: string[]): Promise<number> => {
  if (!(await exampleNames()).includes(name)) throw new Error(await usage())
  const connection = await connect(process.env)
  const { program, programArgs, cwd, env, webhookUrl } = commandOf(name)
  // PUBLIC_URL says that Haul reaches the example by itself.
  const listener = webhookUrl && !process.env.PUBLIC_URL ? await forwardWebhooks(webhookUrl, connection) : null
  const child = startChild(program, [...programArgs, ...args], {
    cwd,
    env: { ...process.env, ...env, ...connection, ...(listener && { PUBLIC_URL: '' }) },
    onLine: (line, from) => (from === 'stdout' ? console.log(line) : console.error(line)),
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void child.stop())
  const { reason } = await child.exited
  await listener?.stop()
  return reason === 'code 0' || reason === 'SIGTERM' ? 0 : 1
}

process.exit(
  await main(process.argv.slice(2)).catch((error: Error) => {
    console.error(error.message)
    return 1
  }),
)
