import { onTestFinished } from 'vitest'
import { assemblyai } from '../../../../../worker/speech/providers/assemblyai.ts'
import { deepgram } from '../../../../../worker/speech/providers/deepgram.ts'
import { openai } from '../../../../../worker/speech/providers/openai.ts'
import type { ProviderPieceRequest, SpeechProvider } from '../../../../../worker/speech/providers/provider.ts'
import { startAssemblyAI } from '../../../../doubles/providers/assemblyai.ts'
import { pieceOf, resultOf } from '../../../../doubles/providers/audio-piece.ts'
import { startDeepgram } from '../../../../doubles/providers/deepgram.ts'
import { startOpenAI } from '../../../../doubles/providers/openai.ts'
import type { Sentence } from '../../../../doubles/providers/speech.ts'

/** The adapters of all services, and their doubles. */
export const services = {
  openai: { adapter: openai, begin: startOpenAI },
  deepgram: { adapter: deepgram, begin: startDeepgram },
  assemblyai: { adapter: assemblyai, begin: startAssemblyAI },
}

export type ServiceName = keyof typeof services
export const serviceNames = Object.keys(services) as ServiceName[]

/** What an adapter makes of what its service hears in a piece. The service is started for one test. */
export const recognizedBy = async (
  name: ServiceName,
  given: Partial<ProviderPieceRequest> = {},
  speech?: Sentence[],
) => {
  const { adapter, begin } = services[name]
  const fake = await begin({ ...(speech && { speech }) })
  onTestFinished(fake.close)
  const provider: SpeechProvider = adapter(fake.url)
  const piece = pieceOf({ apiKey: fake.apiKey, ...given })
  let result = await provider.start(piece)
  while (result.state === 'pending') result = await provider.poll({ ...piece, providerJobId: result.providerJobId })
  return { fake, result: resultOf(result) }
}
