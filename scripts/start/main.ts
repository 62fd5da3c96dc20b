import { join, resolve } from 'node:path'
import { readEnvironment } from '../../domain/settings/settings.ts'
import { root } from './environment.ts'
import { type Haul, startHaul } from './haul.ts'

const print = (line: string): void => console.log(line)

const stopping = new AbortController()
const stopRequested = new Promise<null>((resolve) => {
  const stop = () => {
    stopping.abort(new Error('Stopped before the start was complete.'))
    resolve(null)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  // The Node process that started us has died.
  process.on('disconnect', stop)
})

const EXAMPLE = 'https://media.w3.org/2010/05/sintel/trailer.mp4'

const printInstructions = ({ baseUrl, apiKey, state }: Haul, isOtherState: boolean): void => {
  const key = `-H 'Authorization: Bearer ${apiKey}'`
  print(`
Haul is running at ${baseUrl} (state and logs: ${state.dir}). Press Ctrl-C to stop it.
API key of the demo account: ${apiKey}
Documentation: ${baseUrl}/docs

Transcribe a video, in another terminal and in this folder:
  ${isOtherState ? `HAUL_STATE='${state.dir}' ` : ''}npx haul transcribe ${EXAMPLE}

Or in the console, with the API key:
  ${baseUrl}

Or with curl:
  JOB=$(curl -s ${baseUrl}/transcribe ${key} -H 'Content-Type: application/json' \\
    -d '{"url": "${EXAMPLE}", "mode": "auto"}' | tee /dev/stderr | grep -o 'trn_[0-9a-z]*')
  curl -s "${baseUrl}/transcribe/status?wait=30&id=$JOB" ${key}`)
}

const main = async (): Promise<number> => {
  const { PORT, ENGINE_PORT, ENGINES, HAUL_STATE } = readEnvironment('start', process.env)
  const haul = await startHaul({
    port: PORT,
    enginePort: ENGINE_PORT,
    engines: ENGINES,
    stateDir: resolve(HAUL_STATE ?? join(root, '.haul')),
    log: print,
    signal: stopping.signal,
  })
  printInstructions(haul, HAUL_STATE !== null)
  const ended = await Promise.race([haul.ended, stopRequested])
  print(ended ? `${ended.message}\nStopping.` : '\nStopping.')
  await haul.stop()
  return ended ? 1 : 0
}

const exitCodeOf = (error: Error): number => {
  console.error(error.message)
  return stopping.signal.aborted ? 0 : 1
}

process.exit(await main().catch(exitCodeOf))
