/**
 * By ffmpeg's codec names, in order of preference: if the source's container cannot be kept, the first one that holds all
 * streams is used.
 */
interface Container {
  muxer: string
  extension: string
  video: RegExp
  audio: RegExp
  options?: string[]
}

const none = /^$/
const any = /./
/** Puts the index at the front, so that players can start before the file is complete. */
const indexFirst = ['-movflags', '+faststart']

const videoContainers: Container[] = [
  {
    muxer: 'mp4',
    extension: 'mp4',
    video: /^(h264|hevc|av1|vp9|mpeg4)$/,
    audio: /^(aac|mp3|ac3|eac3|alac|opus)$/,
    options: indexFirst,
  },
  { muxer: 'webm', extension: 'webm', video: /^(vp8|vp9|av1)$/, audio: /^(opus|vorbis)$/ },
  { muxer: 'matroska', extension: 'mkv', video: any, audio: any },
]

const audioContainers: Container[] = [
  { muxer: 'ipod', extension: 'm4a', video: none, audio: /^(aac|alac|ac3)$/, options: indexFirst },
  { muxer: 'mp3', extension: 'mp3', video: none, audio: /^mp3$/ },
  { muxer: 'opus', extension: 'opus', video: none, audio: /^opus$/ },
  { muxer: 'ogg', extension: 'ogg', video: none, audio: /^vorbis$/ },
  { muxer: 'flac', extension: 'flac', video: none, audio: /^flac$/ },
  { muxer: 'wav', extension: 'wav', video: none, audio: /^pcm_(u8|s16le|s24le|s32le|f32le)$/ },
  { muxer: 'matroska', extension: 'mka', video: none, audio: any },
]

export interface Codecs {
  videoCodec: string | null
  audioCodec: string | null
}

const holds = (container: Container, { videoCodec, audioCodec }: Codecs): boolean =>
  (videoCodec === null || container.video.test(videoCodec)) && (audioCodec === null || container.audio.test(audioCodec))

/** In a .flac file, each frame has its number, and the header has the length and digest of the whole. MP4 needs neither. */
const partOfFlac: Container = {
  muxer: 'mp4',
  extension: 'm4a',
  video: none,
  audio: /^flac$/,
  options: [...indexFirst, '-strict', 'experimental'],
}

export const containerForPart = (codecs: Codecs, sourceExtension: string | null): Container =>
  holds(partOfFlac, codecs) ? partOfFlac : containerFor(codecs, sourceExtension)

export const containerFor = (codecs: Codecs, sourceExtension: string | null): Container => {
  const candidates = codecs.videoCodec === null ? audioContainers : videoContainers
  const holding = candidates.filter((container) => holds(container, codecs))
  const container = holding.find(({ extension }) => extension === sourceExtension) ?? holding[0]
  if (!container) throw new Error(`no container for ${codecs.videoCodec} and ${codecs.audioCodec}`)
  return container
}

/** Sources name codecs as RFC 6381 does ("avc1.64001f"); containers are chosen by ffmpeg's names. */
const ffmpegNames: [RegExp, string][] = [
  [/^(avc|h\.?264)/i, 'h264'],
  [/^(hev|hvc|h\.?265|dvh)/i, 'hevc'],
  [/^av0?1/i, 'av1'],
  [/^vp0?9/i, 'vp9'],
  [/^vp0?8/i, 'vp8'],
  [/^mp4a\.(6b|69|40\.34)|^mp3/i, 'mp3'],
  [/^(mp4a|aac)/i, 'aac'],
  [/^ac-?3/i, 'ac3'],
  [/^ec-?3|^eac3/i, 'eac3'],
  [/^opus/i, 'opus'],
  [/^vorbis/i, 'vorbis'],
]
const ffmpegName = (codec: string | null): string | null =>
  codec && (ffmpegNames.find(([pattern]) => pattern.test(codec))?.[1] ?? codec)

/** MP4 can hold Opus as well, but not every player that opens MP4 supports it, so such a mix is the second choice. */
export const fitsOneContainer = (video: Codecs, audio: Codecs): boolean => fitsOneContainerWithAny([audio])(video)

export const fitsOneContainerWithAny = (audios: Codecs[]): ((video: Codecs) => boolean) => {
  const names = audios.map(({ audioCodec }) => ffmpegName(audioCodec) ?? '')
  const hasMp4Audio = names.some((name) => /^(aac|mp3|ac3|eac3)$/.test(name))
  const hasWebmAudio = names.some((name) => /^(opus|vorbis)$/.test(name))
  return ({ videoCodec }) => {
    const name = ffmpegName(videoCodec) ?? ''
    return (hasMp4Audio && /^(h264|hevc|av1)$/.test(name)) || (hasWebmAudio && /^(vp8|vp9|av1)$/.test(name))
  }
}
