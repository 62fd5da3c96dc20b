export const transcriptFormats = ['json', 'txt', 'srt', 'vtt', 'tsv', 'md'] as const
export type TranscriptFormat = (typeof transcriptFormats)[number]

export const contentTypes: Record<TranscriptFormat, string> = {
  json: 'application/json',
  txt: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
}
