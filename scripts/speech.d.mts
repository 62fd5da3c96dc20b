export interface SpeechSetup {
  venvPython: string
  toolsDir: string
  log?: (line: string) => void
}

export function ensureSpeech(options: SpeechSetup): Promise<{ modelDir: string }>
export function ensureWeights(venvPython: string, toolsDir: string, log?: (line: string) => void): Promise<string>
export function writeManifest(folder: string, origin: string): Promise<void>
