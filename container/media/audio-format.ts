import { join } from 'node:path'
import type { AudioFormat, AudioQuality } from '../../domain/protocol/protocol.ts'
import { SourceFailure } from '../failures.ts'
import { type OutputFile, outputFile } from './copy-streams.ts'
import { ffmpeg, input, sourceError } from './ffmpeg.ts'
import { longestOf } from './limits.ts'
import { type AudioStream, type ProbedFile, probe } from './probe.ts'
import { type Spending, toCopy, toEncodeFile } from './spending.ts'

/**
 * Audio that is in the format already is kept, audio of the same codec in another container is copied, and only the rest is
 * encoded: nothing else in this service is ever re-encoded.
 */
type Format = Exclude<AudioFormat, 'source'>

interface Encoding {
  muxer: string
  /** ffmpeg's names of the codecs that the format may have. */
  codecs: RegExp
  options?: string[]
  encoder: (quality: AudioQuality) => string[]
  mostBytesPerSecond: (quality: AudioQuality, audio: AudioStream) => number
}

/** MP3 and Opus in Ogg with more than two channels are understood by few players. Mono stays mono. */
const upToStereo = ['-af', 'aformat=channel_layouts=mono|stereo']

const aacRates: Record<AudioQuality, number> = { lowest: 48, low: 96, medium: 128, high: 192, best: 256 }
const opusRates: Record<AudioQuality, number> = { lowest: 32, low: 64, medium: 96, high: 128, best: 160 }
/** LAME's variable bitrate, from 65 to 245 kbit/s for music in stereo. Speech takes much less. */
const mp3Levels: Record<AudioQuality, number> = { lowest: 9, low: 6, medium: 4, high: 2, best: 0 }

const encodings: Record<Format, Encoding> = {
  mp3: {
    muxer: 'mp3',
    codecs: /^mp3$/,
    encoder: (quality) => ['-c:a', 'libmp3lame', '-q:a', `${mp3Levels[quality]}`, ...upToStereo],
    // 320 kbit/s, the most that a frame may have.
    mostBytesPerSecond: () => 40_000,
  },
  m4a: {
    muxer: 'ipod',
    codecs: /^(aac|alac)$/,
    options: ['-movflags', '+faststart'],
    encoder: (quality) => ['-c:a', 'aac', '-b:a', `${aacRates[quality]}k`],
    // Noise on eight channels takes 98 kbit/s of the lowest quality.
    mostBytesPerSecond: (quality, { channels }) => bytesOf(1.25 * aacRates[quality] + 16 * channels),
  },
  opus: {
    muxer: 'opus',
    codecs: /^opus$/,
    encoder: (quality) => ['-c:a', 'libopus', '-b:a', `${opusRates[quality]}k`, ...upToStereo],
    // Short clicks take 1.6 times the rate.
    mostBytesPerSecond: (quality) => bytesOf(2 * opusRates[quality]),
  },
  wav: {
    muxer: 'wav',
    codecs: /^pcm_(u8|s16le|s24le|s32le|f32le)$/,
    // A file of more than 4 GB has the header of RF64.
    options: ['-rf64', 'auto'],
    encoder: () => [
      ...['-c:a', 'pcm_s16le'],
      ...['-af', `aformat=channel_layouts=mono|stereo:sample_rates=${wavRates.join('|')}`],
    ],
    mostBytesPerSecond: (_, audio) => WAV_SAMPLE_BYTES * wavRate(audio) * wavChannels(audio),
  },
}

const bytesOf = (kilobits: number): number => (kilobits * 1_000) / 8

const WAV_SAMPLE_BYTES = 2
const HIGHEST_WAV_RATE = 48_000
const wavRates = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, HIGHEST_WAV_RATE]
/** AAC may have twice the rate and a second channel, which only its decoder finds. */
const mayHaveMore = ({ codec }: AudioStream): boolean => codec.startsWith('aac')
const wavRate = (audio: AudioStream): number => {
  const highest = mayHaveMore(audio) ? 2 * audio.sampleRate : audio.sampleRate
  return wavRates.find((rate) => rate >= highest) ?? HIGHEST_WAV_RATE
}
const wavChannels = (audio: AudioStream): number => (mayHaveMore(audio) ? 2 : Math.min(2, audio.channels))

/** LAME, the slowest, takes 17 minutes of a fast core for twelve hours of audio. */
const ENCODING_TIMEOUT_MS = 100 * 60_000

interface FormatOptions {
  format: Format
  quality: AudioQuality
  workDir: string
  /** Resolves when the step may spend this. */
  agree(spends: Spending, isCopied: boolean): Promise<void>
  signal: AbortSignal
}

export const inAudioFormat = async (file: ProbedFile, options: FormatOptions) => {
  const { audio } = file
  if (!audio) throw new SourceFailure('NO_AUDIO')
  const isCopied = encodings[options.format].codecs.test(audio.codec)
  if (!isCopied) return { output: await encoded(file, audio, options), transcoded: true }
  const output = file.extension === options.format ? outputFile(file) : await copied(file, options)
  return { output, transcoded: false }
}

const copied = async (file: ProbedFile, options: FormatOptions): Promise<OutputFile> => {
  const spends = toCopy(file.sizeBytes)
  await options.agree(spends, true)
  return written(file, ['-c', 'copy'], spends, options)
}

const encoded = async (file: ProbedFile, audio: AudioStream, options: FormatOptions): Promise<OutputFile> => {
  const { format, quality } = options
  const { encoder, mostBytesPerSecond } = encodings[format]
  const seconds = longestOf(file.durationSeconds)
  const spends = toEncodeFile(seconds, mostBytesPerSecond(quality, audio), file.sizeBytes)
  await options.agree(spends, false)
  // One second more, to detect what is longer.
  const output = await written(file, [...encoder(quality), '-t', (seconds + 1).toFixed(3)], spends, options)
  if (output.probed.durationSeconds > seconds)
    throw new SourceFailure('MEDIA_TOO_LARGE', 'The file is longer than its header states.')
  return output
}

const written = async (
  file: ProbedFile,
  codec: string[],
  spends: Spending,
  { format, workDir, signal }: FormatOptions,
): Promise<OutputFile> => {
  const { muxer, options = [] } = encodings[format]
  const path = join(workDir, `formatted.${format}`)
  const args = ['-map', '0:a:0', '-map_metadata', '0', '-map_chapters', '-1', ...codec, ...options, '-f', muxer, path]
  const run = { signal, reads: [file.path], writes: path, spends, timeoutMs: ENCODING_TIMEOUT_MS }
  const { code, stderr } = await ffmpeg([...input(file), ...args], run)
  if (code !== 0) throw sourceError(stderr)
  return outputFile(await probe(path, signal))
}
