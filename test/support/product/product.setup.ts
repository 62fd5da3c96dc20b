import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type DevFile, startHaul } from '../../../scripts/start/haul.ts'
import { startAssemblyAI } from '../../doubles/providers/assemblyai.ts'
import { startDeepgram } from '../../doubles/providers/deepgram.ts'
import { startOpenAI } from '../../doubles/providers/openai.ts'
import { installScriptedSpeech } from '../../doubles/speech/scripted-speech.ts'
import { takePortsFrom } from '../loopback.ts'
import { findPorts, type Ports, takePort } from '../ports.ts'
import { type Prepared, prepareOwnServer } from './own-server.ts'

/**
 * Vitest's global setup of the product tests: what all their files share. One product as `npm start` runs it, what
 * the starts of others have in common, and the ports of the servers that tests start.
 */
export interface SharedByFiles {
  haul: DevFile
  stateDir: string
  ownServer: Prepared
  ports: Ports
  /** Doubles of the speech providers: the settings with which a product calls them, and the keys that they accept. */
  providers: { settings: Record<string, string>; keys: Record<'provider_a' | 'provider_b' | 'provider_c', string> }
  /** For the engines: see test/doubles/speech/scripted-speech.ts. */
  scriptedSpeech: Record<string, string>
}

declare module 'vitest' {
  interface ProvidedContext {
    product: SharedByFiles
  }
}

/** Files run at the same time, and one engine has the places of a small fleet. */
const NETWORK_PLACES = '24'

export default async function setup(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'haul-product-'))
  const stateDir = join(folder, 'state')
  const ports = await findPorts(join(folder, 'ports'))
  takePortsFrom(() => takePort(ports))
  const speech = await installScriptedSpeech()
  const [openai, deepgram, assemblyai] = await Promise.all([startOpenAI(), startDeepgram(), startAssemblyAI()])
  const providers = {
    settings: { OPENAI_BASE_URL: openai.url, DEEPGRAM_BASE_URL: deepgram.url, ASSEMBLYAI_BASE_URL: assemblyai.url },
    keys: { provider_a: openai.apiKey, provider_b: deepgram.apiKey, provider_c: assemblyai.apiKey },
  }
  const env = {
    ...process.env,
    ...speech.env,
    ALLOW_PRIVATE_HOSTS: ports.hosts.join(),
    ...providers.settings,
    ENGINE_NETWORK_PLACES: NETWORK_PLACES,
  }
  const [haul, ownServer] = await Promise.all([
    startHaul({ stateDir, env, log: console.log }),
    prepareOwnServer(folder),
  ])
  const devFile: DevFile = JSON.parse(await readFile(haul.state.devFile, 'utf8'))
  project.provide('product', { haul: devFile, stateDir, ownServer, ports, providers, scriptedSpeech: speech.env })
  return async () => {
    await haul.stop()
    await Promise.all([openai, deepgram, assemblyai].map((provider) => provider.close()))
    await speech.remove()
    await rm(folder, { recursive: true, force: true })
  }
}
