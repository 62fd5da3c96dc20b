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

/** What a name stands for: the engine, and the model of the built-in one if it names one. */
export interface Named {
  engine: OwnModel
  model?: string
}

/** null: there is no such name. `offered` are the models of the deployment. */
export const modelNamed = (name: string, given: OpenaiModels, offered: readonly string[]): Named | null => {
  const engine = Object.hasOwn(given, name) ? given[name] : ownModels.find((own) => own === name)
  if (engine) return { engine }
  if (offered.includes(name)) return { engine: 'haul-builtin', model: name }
  return builtinPrefixes.some((prefix) => name.startsWith(prefix)) ? { engine: 'haul-builtin' } : null
}
