import { z } from 'zod'
import { dollars } from '../../../../domain/money/price-text.ts'
import type { PlaylistMetadata, SourceMetadata } from '../../routes/metadata.ts'
import { HttpUrl } from '../../schemas.ts'
import { type Answer, durationText, outputOf, quotedTitle, shortTitle, visible } from '../answer.ts'
import { refusedAnswer } from '../problems.ts'
import { tool } from '../tool.ts'

const Price = z.number().optional()

const Import = z.object({
  audio_only: z.boolean(),
  video_quality: z.string().optional(),
  size_bytes: z.number().optional(),
  price: Price,
  is_estimate: z.boolean(),
})
const Entry = z.object({ url: z.string(), title: z.string().optional(), duration_seconds: z.number().optional() })

const Output = outputOf({
  is_playlist: z.boolean(),
  title: z.string().describe('Quoted from the source.'),
  platform: z.string(),
  is_live: z.boolean(),
  duration_seconds: z.number(),
  captions: z.array(z.object({ language: z.string(), kind: z.enum(['manual', 'automatic']) })),
  transcribe: z
    .object({
      captions: Price.describe('Absent if there are no captions.'),
      builtin: Price,
      provider: Price.describe('For provider_a, provider_b and provider_c, which also bill their own key.'),
      audio_download: Price.describe('Charged in addition to builtin and provider.'),
      is_estimate: z.boolean(),
    })
    .describe('Prices in dollars. Absent if the source does not state its length or size.'),
  import_media: z.array(Import).describe('Prices in dollars, for a video_quality up to the next one in the list.'),
  entry_count: z.number(),
  entries: z.array(Entry).describe('The first entries of a playlist. Quoted from the source.'),
})

export const look = tool({
  name: 'look',
  title: 'Look at a URL',
  description:
    'See what a URL leads to before spending anything: title, length, captions, and the price of every way to transcribe or import it. Of a playlist, channel or podcast feed it lists the first entries with their URLs. Free. Then call transcribe or import_media.',
  annotations: { readOnlyHint: true, openWorldHint: true },
  input: z.strictObject({
    url: HttpUrl.describe('The address of a page or of a file with media, or of a playlist.'),
  }),
  output: Output,
  run: async ({ url }, { api }) => {
    const answer = await api('GET', `/metadata?${new URLSearchParams({ url })}`)
    if (!answer.ok) return refusedAnswer(answer.refusal)
    const metadata: SourceMetadata | PlaylistMetadata = answer.value
    return metadata.isPlaylist ? playlistAnswer(metadata) : mediaAnswer(metadata)
  },
})

const FREE = 'This call was free.'

const mediaAnswer = (media: SourceMetadata): Answer => {
  const { title, duration, platform, isLive, captions, estimate } = media
  const { platformCaptions, builtin, provider, audioDownload, isEstimate } = estimate.transcription
  const imports = distinct(estimate.imports)
  const recognition = price(sum(builtin, audioDownload), isEstimate)
  return {
    lines: [
      `${quotedTitle(title)} (title from the source), ${lengthOf(duration, media.durationIsEstimate)}, from ${visible(platform)}.`,
      isLive ? 'It is a live stream, which can be transcribed and imported after it has ended.' : '',
      captions.length > 0
        ? `Captions: ${captions.map(({ language, kind }) => `${visible(language)} (${kind})`).join(', ')}.`
        : 'No captions.',
      `transcribe: ${[
        platformCaptions === null
          ? `without a provider ${recognition} (there are no captions, so the speech is recognized)`
          : `without a provider ${dollars(platformCaptions)} (the captions)`,
        `with provider "builtin" ${recognition}`,
        `with provider_a, provider_b or provider_c ${price(sum(provider, audioDownload), isEstimate)}, plus what the provider bills its own key`,
      ].join('; ')}.`,
      imports.length === 0 ? '' : `import_media: ${imports.map(importLine).join('; ')}.`,
      FREE,
    ],
    data: {
      is_playlist: false,
      title: shortTitle(title),
      platform: visible(platform),
      is_live: isLive,
      duration_seconds: duration,
      captions,
      transcribe: {
        captions: platformCaptions,
        builtin,
        provider,
        audio_download: audioDownload,
        is_estimate: isEstimate,
      },
      import_media: imports.map((item) => ({
        audio_only: !item.includeVideo,
        video_quality: item.includeVideo ? item.videoQuality : null,
        size_bytes: item.downloadBytes,
        price: item.costInDollars,
        is_estimate: item.isEstimate,
      })),
    },
  }
}

const lengthOf = (duration: number | null, isEstimate: boolean): string =>
  duration === null ? 'length unknown' : `${isEstimate ? 'about ' : ''}${durationText(duration)}`

type ImportPrice = SourceMetadata['estimate']['imports'][number]

/** Many qualities lead to the same file. Each file is listed with the first of them. */
const distinct = (imports: ImportPrice[]): ImportPrice[] =>
  imports.filter((item, index) => {
    const before = imports[index - 1]
    return before?.includeVideo !== item.includeVideo || before.downloadBytes !== item.downloadBytes
  })

const sum = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other

const price = (amount: number | null, isEstimate: boolean): string =>
  amount === null ? 'at a price that is not known yet' : `${isEstimate ? 'about ' : ''}${dollars(amount)}`

const importLine = ({ includeVideo, videoQuality, costInDollars, isEstimate }: ImportPrice): string =>
  `${includeVideo ? `video_quality "${videoQuality}" or higher` : 'audio_only'} ${price(costInDollars, isEstimate)}`

const playlistAnswer = ({ title, count, entries }: PlaylistMetadata): Answer => ({
  lines: [
    `${title === null ? 'A playlist' : `The playlist ${quotedTitle(title)} (title from the source)`} with ${count === null ? 'an unknown number of' : count} entries. The first ${entries.length} are below.`,
    'Call transcribe or import_media with the URL of an entry. To get all of them, the user can send POST /batches to the HTTP API.',
    FREE,
  ],
  data: {
    is_playlist: true,
    title: title && shortTitle(title),
    entry_count: count,
    entries: entries.map((entry) => ({
      url: entry.url,
      title: entry.title && shortTitle(entry.title),
      duration_seconds: entry.duration,
    })),
  },
  quoted: { what: 'the list of entries', text: entries.map(entryLine).join('\n') },
})

const entryLine = ({ url, title, duration }: PlaylistMetadata['entries'][number]): string =>
  [url, title && quotedTitle(title), duration === null ? '' : durationText(duration)].filter(Boolean).join(' ')
