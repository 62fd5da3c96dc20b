import type { ProbedSource } from '../../../domain/protocol/protocol.ts'

export const FILM_BYTES = 15_342_100
/** At $0.01 per MB. */
export const filmCost = 0.153421

const qualities = { videoQuality: '1080p', audioQuality: 'best' } as const

/** The container's description of the film that test/doubles/internet serves. */
export const film: ProbedSource = {
  title: 'A film',
  readBy: { extractor: 'youtube', extractorVersion: '2026.10.26' },
  durationSeconds: 90,
  durationIsEstimate: false,
  thumbnailUrl: 'https://media.example/poster.jpg',
  platform: 'direct',
  isLive: false,
  direct: true,
  contentType: 'video/mp4',
  fileSizeBytes: FILM_BYTES,
  formats: [
    {
      id: '0',
      quality: '1080p',
      container: 'mp4',
      videoCodec: 'h264',
      audioCodec: 'aac',
      width: 1920,
      height: 1080,
      bitrate: 1_363_742,
      sizeBytes: FILM_BYTES,
      sizeIsEstimate: false,
    },
  ],
  captions: [{ language: 'en', kind: 'manual' }],
  chapters: [{ title: 'One', startSeconds: 0, endSeconds: 90 }],
  downloads: [
    {
      selection: { includeVideo: false, includeAudio: true, ...qualities },
      bytes: 1_000_000,
      isEstimate: true,
    },
    {
      selection: { includeVideo: true, includeAudio: true, ...qualities },
      bytes: FILM_BYTES,
      isEstimate: false,
    },
  ],
  speech: { durationSeconds: 90, durationIsEstimate: false, downloadBytes: 1_000_000, downloadIsEstimate: true },
}
