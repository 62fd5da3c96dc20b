import { z } from 'zod'
import { providerSlots } from './jobs/providers.ts'

export const ownModels = ['haul-auto', 'haul-builtin', ...providerSlots] as const
export type OwnModel = (typeof ownModels)[number]

export const OpenaiModels = z.record(z.string().min(1).max(200), z.enum(ownModels))
export type OpenaiModels = z.infer<typeof OpenaiModels>

/** Many programs have a list of these, or a fixed one. */
export const builtinPrefixes = [
  'whisper',
  'gpt-4o',
  'gpt-transcribe',
  'distil-whisper',
  'Systran/',
  'openai/whisper',
] as const

export const modelNamed = (name: string, given: OpenaiModels): OwnModel | null => {
  if (Object.hasOwn(given, name)) return given[name] ?? null
  const own = ownModels.find((model) => model === name)
  if (own) return own
  return builtinPrefixes.some((prefix) => name.startsWith(prefix)) ? 'haul-builtin' : null
}
