declare module 'node-webvtt' {
  export interface ParsedCue {
    identifier: string
    start: number
    end: number
    text: string
    styles: string
  }
  export function parse(
    input: string,
    options?: { meta?: boolean; strict?: boolean },
  ): { valid: boolean; cues: ParsedCue[]; errors: Error[] }
  const webvtt: { parse: typeof parse }
  export default webvtt
}
