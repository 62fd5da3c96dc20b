import type { Recipe } from './recipe.ts'

/** Media to cut clips from: twelve seconds, a keyframe every two, pictures that are reordered, sound that changes. */
const pictures = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=12']
const sound = ['-f', 'lavfi', '-i', 'aevalsrc=sin(2*PI*t*(200+40*t)):s=48000:d=12']
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-pix_fmt', 'yuv420p', '-sc_threshold', '0']
const keyframes = ['-g', '50', '-keyint_min', '50']

const film = ['-i', '@film.mp4']
const hls = ['-c', 'copy', '-f', 'hls', '-hls_time', '2', '-hls_playlist_type', 'vod']

const copy = (to: string, ...flags: string[]): Recipe => ({
  makes: to,
  ffmpeg: [...film, '-map', '0', '-c', 'copy', ...flags, to],
})

const hlsOf = (folder: string, extension: string, ...flags: string[]): Recipe => ({
  makes: folder,
  ffmpeg: [
    ...[...film, ...hls, ...flags, '-hls_segment_filename', `${folder}/part_%03d.${extension}`],
    `${folder}/stream.m3u8`,
  ],
})

/** The second half of the film, then the first one, whose times are lower. */
const halves = `#EXTM3U
#EXT-X-VERSION:3
#EXT-X-TARGETDURATION:2
#EXT-X-PLAYLIST-TYPE:VOD
${[3, 4, 5].map((part) => `#EXTINF:2,\n../film-hls/part_00${part}.ts`).join('\n')}
#EXT-X-DISCONTINUITY
${[0, 1, 2].map((part) => `#EXTINF:2,\n../film-hls/part_00${part}.ts`).join('\n')}
#EXT-X-ENDLIST
`

const masterWithSound = `#EXTM3U
#EXT-X-VERSION:7
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="English",DEFAULT=YES,LANGUAGE="en",URI="stream_1.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=400000,CODECS="avc1.42c00d,mp4a.40.2",RESOLUTION=320x180,AUDIO="sound"
stream_0.m3u8
`

export const clipRecipes: Recipe[] = [
  {
    makes: 'film.mp4',
    ffmpeg: [
      ...[...pictures, ...sound, ...h264, ...keyframes, '-b:v', '250k', '-c:a', 'aac', '-b:a', '64k'],
      ...['-movflags', '+faststart', 'film.mp4'],
    ],
  },
  copy('film-silent.mp4', '-an'),
  copy('film-fragmented.mp4', '-movflags', '+frag_keyframe+empty_moov'),
  copy('film.mkv'),
  copy('film.ts'),
  copy('film.flv'),
  {
    makes: 'film.webm',
    ffmpeg: [
      ...[...film, '-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '200k', ...keyframes],
      ...['-c:a', 'libopus', '-b:a', '48k', 'film.webm'],
    ],
  },
  ...['mp3', 'm4a', 'ogg', 'flac', 'wav'].map((extension) => ({
    makes: `film-sound.${extension}`,
    ffmpeg: [
      ...[
        ...film,
        '-vn',
        '-c:a',
        { mp3: 'libmp3lame', m4a: 'copy', ogg: 'libopus', flac: 'flac', wav: 'pcm_s16le' }[extension] ?? '',
      ],
      `film-sound.${extension}`,
    ],
  })),
  hlsOf('film-hls', 'ts'),
  {
    makes: 'film-hls-ranges',
    ffmpeg: [
      ...[...film, ...hls, '-hls_segment_type', 'fmp4', '-hls_flags', 'single_file'],
      'film-hls-ranges/stream.m3u8',
    ],
  },
  // Segments of half a second: only each fourth starts with a keyframe.
  hlsOf('film-hls-short', 'ts', '-hls_time', '0.5', '-hls_flags', 'split_by_time'),
  {
    makes: 'film-hls-aes',
    files: { 'secret.key': '0123456789abcdef', 'key.info': 'secret.key\nfilm-hls-aes/secret.key\n' },
    ffmpeg: [
      ...[...film, ...hls, '-start_number', '7', '-hls_key_info_file', 'film-hls-aes/key.info'],
      ...['-hls_segment_filename', 'film-hls-aes/part_%03d.ts', 'film-hls-aes/stream.m3u8'],
    ],
  },
  {
    makes: 'film-hls-fmp4',
    files: { 'master.m3u8': masterWithSound },
    ffmpeg: [
      ...[...film, '-map', '0:v', '-map', '0:a', ...hls, '-hls_segment_type', 'fmp4'],
      ...['-hls_fmp4_init_filename', 'init_%v.mp4', '-var_stream_map', 'v:0 a:0'],
      ...['-hls_segment_filename', 'film-hls-fmp4/stream_%v_%03d.m4s', 'film-hls-fmp4/stream_%v.m3u8'],
    ],
  },
  { makes: 'film-hls-halves', files: { 'stream.m3u8': halves } },
  {
    makes: 'film-dash',
    ffmpeg: [
      ...[...film, '-map', '0:v', '-map', '0:a', '-c', 'copy', '-f', 'dash', '-seg_duration', '2'],
      ...['-adaptation_sets', 'id=0,streams=v id=1,streams=a', 'film-dash/manifest.mpd'],
    ],
  },
]
