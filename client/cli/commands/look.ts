import type { Command } from 'commander'
import type { PlaylistMetadata, SourceMetadata } from '../../src/index.ts'
import { withProgress } from '../follow-job.ts'
import { shellWord } from '../options.ts'
import { type OutputOptions, openSession, type Session } from '../session.ts'
import { factLine, printable, printLine } from '../terminal/output.ts'
import { bytesText, dollarsText, durationText } from '../terminal/quantities.ts'
import { tableLines } from '../terminal/table.ts'

export const addLook = (program: Command): Command =>
  program
    .command('look')
    .summary('show what a URL has and what it would cost')
    .description('Shows the title, length, formats, captions and prices of a URL, or the entries of a playlist. Free.')
    .argument('<url>', 'a page, a media file, a playlist or a feed')
    .addHelpText('after', '\nExample:\n  haul look https://example.com/talk')
    .action(look)

const look = async (url: string, options: OutputOptions): Promise<void> => {
  const session = await openSession(options)
  const metadata = await withProgress(session, 'looking', () => session.haul.metadata(url, { signal: session.signal }))
  const lines = 'entries' in metadata ? playlistLines(session, url, metadata) : sourceLines(session, metadata)
  await session.print(metadata, () => printLine(lines.join('\n')))
}

const playlistLines = (
  { paint, tableColumns }: Session,
  playlistUrl: string,
  { title, count, entries }: PlaylistMetadata,
): string[] => [
  paint('bold', printable(title ?? 'Playlist')),
  `${count ?? `${entries.length} or more`} entries. Import them: haul batch ${shellWord(playlistUrl)}`,
  '',
  ...tableLines(
    [
      { title: '#', align: 'right' },
      { title: 'Length', align: 'right' },
      { title: 'Title', isFlexible: true },
    ],
    entries.map(({ url, title, duration }, index) => [
      String(index + 1),
      duration === null ? '' : durationText(duration),
      title ?? url,
    ]),
    tableColumns,
  ),
]

const sourceLines = ({ paint, tableColumns }: Session, source: SourceMetadata): string[] => [
  paint('bold', printable(source.title)),
  ...factLines(source),
  '',
  ...tableLines(
    [{ title: 'Import' }, { title: 'Download', align: 'right' }, { title: 'Price', align: 'right' }],
    importGroups(source.estimate.imports).map(({ names, estimate: { downloadBytes, costInDollars, isEstimate } }) => [
      names.length === 1 ? (names[0] ?? '') : `${names[0]} to ${names.at(-1)}`,
      downloadBytes === null ? 'unknown' : approximately(bytesText(downloadBytes), isEstimate),
      costInDollars === null ? '' : approximately(dollarsText(costInDollars), isEstimate),
    ]),
    tableColumns,
  ),
]

type ImportEstimate = SourceMetadata['estimate']['imports'][number]

/** Qualities for which the same rendition would be downloaded are one line. */
const importGroups = (estimates: readonly ImportEstimate[]): { names: string[]; estimate: ImportEstimate }[] => {
  const groups: { names: string[]; estimate: ImportEstimate }[] = []
  for (const estimate of estimates) {
    const { includeVideo, videoQuality, audioQuality, downloadBytes } = estimate
    const name = includeVideo ? videoQuality : `audio ${audioQuality}`
    const last = groups.at(-1)
    const isSame = last?.estimate.includeVideo === includeVideo && last.estimate.downloadBytes === downloadBytes
    if (last && isSame) last.names.push(name)
    else groups.push({ names: [name], estimate })
  }
  return groups
}

const factLines = (source: SourceMetadata): string[] => {
  const { platform, duration, durationIsEstimate, isLive, captions, chapters, formats, estimate } = source
  const { platformCaptions, builtin, audioDownload, isEstimate } = estimate.transcription
  const languages = captions.map(({ language, kind }) => (kind === 'automatic' ? `${language} (automatic)` : language))
  const heights = new Set(formats.flatMap(({ height }) => (height ? [`${height}p`] : [])))
  const captionsText = `${languages.join(', ')}: ${dollarsText(platformCaptions ?? 0)}`
  return [
    factLine('Source', isLive ? `${platform}, live` : platform),
    factLine('Length', duration === null ? 'unknown' : approximately(durationText(duration), durationIsEstimate)),
    factLine('Formats', [...heights].join(', ') || 'audio'),
    factLine('Captions', languages.length === 0 ? 'none' : captionsText),
    ...(builtin === null
      ? []
      : [factLine('Transcript', `builtin: ${approximately(dollarsText(builtin + (audioDownload ?? 0)), isEstimate)}`)]),
    ...(chapters.length === 0 ? [] : [factLine('Chapters', String(chapters.length))]),
  ]
}

const approximately = (text: string, isEstimate: boolean): string => (isEstimate ? `about ${text}` : text)
