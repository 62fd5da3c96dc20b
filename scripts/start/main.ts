import { join, resolve } from 'node:path'
import { type Haul, startHaul } from './haul.ts'
import { root } from './place.ts'

/** What `npm start` runs once everything is in place. */

const say = (line: string): void => console.log(line)

const wantedPort = (name: string, fallback: number): number => {
  const port = Number(process.env[name] || fallback)
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port
  throw new Error(`${name} must be a port number, not "${process.env[name]}".`)
}

const stopping = new AbortController()
const stopAsked = new Promise<null>((resolve) => {
  const stop = () => {
    stopping.abort(new Error('Stopped before the start was complete.'))
    resolve(null)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  // The Node that started us is gone.
  process.on('disconnect', stop)
})

const greet = ({ baseUrl, apiKey, state }: Haul): void => {
  say(`
Haul answers on ${baseUrl} (state and logs: ${state.dir})

In a browser: ${baseUrl} (the reference: ${baseUrl}/docs)
  with the key of the demo account: ${apiKey}

Import something:
  JOB=$(curl -s ${baseUrl}/import -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' \\
    -d '{"url": "https://media.w3.org/2010/05/sintel/trailer.mp4"}' | tee /dev/stderr | grep -o 'imp_[0-9A-Za-z]*')

See how it goes:
  curl -s "${baseUrl}/import/status?wait=30&id=$JOB" -H 'Authorization: Bearer ${apiKey}'

Ctrl-C stops everything.`)
}

const main = async (): Promise<number> => {
  const haul = await startHaul({
    port: wantedPort('PORT', 8787),
    enginePort: wantedPort('ENGINE_PORT', 8788),
    stateDir: resolve(process.env.HAUL_STATE || join(root, '.haul')),
    log: say,
    signal: stopping.signal,
  })
  greet(haul)
  const ended = await Promise.race([haul.ended, stopAsked])
  say(ended ? `${ended.message}\nStopping.` : '\nStopping.')
  await haul.stop()
  return ended ? 1 : 0
}

const failed = (error: Error): number => {
  console.error(error.message)
  return stopping.signal.aborted ? 0 : 1
}

process.exit(await main().catch(failed))
