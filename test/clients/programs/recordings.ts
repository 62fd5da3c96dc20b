import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Audio } from './programs.ts'

/** The recording of a workspace in the formats that programs send. */
export const recordingsOf = async ({ media }: { media: (name: string) => string }): Promise<Audio> => {
  const [webm, pcm] = [media('talk.webm'), media('talk.s16le')]
  // As a browser records it: without a length.
  const opus = ['-c:a', 'libopus', '-f', 'webm', '-live', '1', webm]
  const raw = ['-f', 's16le', '-ac', '1', '-ar', '16000', pcm]
  await promisify(execFile)('ffmpeg', ['-v', 'error', '-nostdin', '-i', media('talk.flac'), ...opus, ...raw])
  return {
    wav: await readFile(media('talk.wav')),
    mp3: await readFile(media('talk.mp3')),
    webm: await readFile(webm),
    pcm: await readFile(pcm),
  }
}
