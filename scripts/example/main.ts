import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { connectionIn } from '../../client/cli/connection.ts'
import { Haul, HaulConnectionError } from '../../client/src/index.ts'
import { type Child, startChild } from '../start/child.ts'
import { root } from '../start/environment.ts'
import { wrangler, wranglerSettings } from '../start/worker.ts'

const examplesDir = join(root, 'examples')

const exampleNames = async (): Promise<string[]> =>
  (await readdir(examplesDir, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()

/** The ports of the examples that receive webhooks. PORT sets another one. */
const webhookPorts: Record<string, string> = { 'webhook-to-file': '3000', 'podcast-worker': '8790' }

/** A folder with a wrangler.toml is a Worker, any other has a main.ts for Node. */
const commandOf = (name: string) => {
  const cwd = join(examplesDir, name)
  const port = process.env.PORT || webhookPorts[name] || ''
  const webhookUrl = name in webhookPorts ? `http://127.0.0.1:${port}/webhooks/haul` : null
  if (!existsSync(join(cwd, 'wrangler.toml'))) return { programArgs: ['main.ts'], cwd, env: {}, webhookUrl }
  const dev = ['dev', '--ip', '127.0.0.1', '--port', port, '--inspector-port', '0']
  const programArgs = ['--no-warnings', wrangler, ...dev, '--show-interactive-dev-session=false']
  return { programArgs, cwd, env: wranglerSettings, webhookUrl }
}

type Connection = Record<'HAUL_URL' | 'HAUL_API_KEY' | 'HAUL_WEBHOOK_SECRET', string>

const connect = async (env: NodeJS.ProcessEnv): Promise<Connection> => {
  const { HAUL_URL, HAUL_API_KEY } = env.HAUL_URL && env.HAUL_API_KEY ? env : await localHaul(env)
  if (!HAUL_URL || !HAUL_API_KEY) throw new Error(NOT_RUNNING)
  const haul = new Haul({ baseUrl: HAUL_URL, apiKey: HAUL_API_KEY, maxRetries: 0 })
  const { secret } = await haul.webhooks.secret().catch((cause) => {
    throw cause instanceof HaulConnectionError
      ? new Error(`Haul does not answer at ${HAUL_URL}. ${NOT_RUNNING}`, { cause })
      : cause
  })
  return { HAUL_URL, HAUL_API_KEY, HAUL_WEBHOOK_SECRET: secret }
}

const NOT_RUNNING = 'Start Haul with `npm start`, or set HAUL_URL and HAUL_API_KEY.'

const localHaul = async (env: NodeJS.ProcessEnv): Promise<Partial<Connection>> => {
  const dev = await connectionIn(join(resolve(env.HAUL_STATE || join(root, '.haul')), 'dev.json'))
  return dev ? { HAUL_URL: dev.baseUrl, HAUL_API_KEY: dev.apiKey } : {}
}

const commandLine = join(root, 'client/dist/cli/main.js')

/** Resolves when `haul listen` is connected. Haul itself sends webhooks to a private address only if it is allowed. */
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
  const names = await exampleNames()
  if (!names.includes(name)) throw new Error(`Usage: npm run example NAME\nNAME is one of ${names.join(', ')}.`)
  const connection = await connect(process.env)
  const { programArgs, cwd, env, webhookUrl } = commandOf(name)
  // PUBLIC_URL says that Haul reaches the example by itself.
  const listener = webhookUrl && !process.env.PUBLIC_URL ? await forwardWebhooks(webhookUrl, connection) : null
  const child = startChild(process.execPath, [...programArgs, ...args], {
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
