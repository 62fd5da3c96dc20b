import type { ServiceName } from '../../../domain/jobs/providers.ts'
import { assemblyai } from './assemblyai.ts'
import { deepgram } from './deepgram.ts'
import { openai } from './openai.ts'
import type { SpeechProvider } from './provider.ts'

/** Set by the operator. OpenAI's includes its /v1, the others have no path; '' is the service's default. */
export type BaseUrls = Partial<Record<ServiceName, string>>

const adapters = { openai, deepgram, assemblyai } satisfies Record<ServiceName, (baseUrl?: string) => SpeechProvider>

export const speechProvider = (name: ServiceName, baseUrls: BaseUrls = {}): SpeechProvider => {
  const baseUrl = baseUrls[name]
  return baseUrl ? adapters[name](checkedUrl(name, baseUrl)) : adapters[name]()
}

const checkedUrl = (name: ServiceName, baseUrl: string): string => {
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? ''))
    throw new Error(`The base URL of ${name} is not an http(s) URL`)
  return baseUrl.replace(/(?<!\/)\/+$/, '')
}
