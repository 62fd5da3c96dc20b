import { startChild } from '../start/child.ts'
import { commandOf, exampleNames } from './command.ts'
import { connect } from './connect.ts'
import { forwardWebhooks } from './forward-webhooks.ts'

/** What `npm run example` runs after the set-up. */

const usage = async (): Promise<string> =>
  `Usage: npm run example NAME\nNAME is one of ${(await exampleNames()).join(', ')}.`

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
