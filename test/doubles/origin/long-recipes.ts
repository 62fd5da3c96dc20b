import type { Recipe } from './recipe.ts'

/**
 * Media in which a clip is found by the index and fetched by ranges: two minutes and about 11 MB, with reordered
 * pictures, 25 a second.
 */
const film = (to: string, { gop = 60, seconds = 120 } = {}): Recipe => ({
  makes: to,
  ffmpeg: [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=192x108:r=25,noise=alls=40:allf=t'],
    ...['-f', 'lavfi', '-i', 'sine=frequency=440:beep_factor=4:sample_rate=44100', '-t', `${seconds}`],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '33', '-bf', '2', '-g', `${gop}`, '-sc_threshold', '0'],
    ...['-c:a', 'aac', '-b:a', '64k', to],
  ],
})

const noise = (to: string, ...codec: string[]): Recipe => ({
  makes: to,
  ffmpeg: ['-f', 'lavfi', '-i', 'anoisesrc=d=120:r=44100:seed=7', ...codec, to],
})

export const longRecipes: Recipe[] = [
  film('long-film.mp4'),
  // So many pictures from one keyframe to the next.
  ...[1, 37, 500].map((gop) => film(`film-gop-${gop}.mp4`, { gop, seconds: 60 })),
  film('film-of-five-seconds.mp4', { seconds: 5 }),
  noise('long-noise.m4a', '-c:a', 'aac', '-b:a', '192k'),
  noise('long-noise.mp3', '-c:a', 'mp3', '-b:a', '128k'),
  noise('long-noise.flac', '-c:a', 'flac'),
]
