export { createHaul, type HaulProvider, haul } from './provider.ts'
export type { HaulModelId, HaulTranscriptionOptions } from './request-fields.ts'
