import { captionRecipes, styled } from './caption-recipes.ts'
import { clipRecipes } from './clip-recipes.ts'
import { longRecipes } from './long-recipes.ts'
import type { Recipe } from './recipe.ts'

const copy = (from: string, to: string, ...flags: string[]): Recipe => ({
  makes: to,
  ffmpeg: ['-i', `@${from}`, '-map', '0', '-c', 'copy', ...flags, to],
})

const audio = (to: string, ...codec: string[]): Recipe => ({
  makes: to,
  ffmpeg: ['-i', '@source-360.mp4', '-vn', ...codec, to],
})

/** A keyframe each second, where segments can be cut. */
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '25', '-keyint_min', '25']
const video = (seconds: number) => ['-f', 'lavfi', '-i', `testsrc2=size=640x360:rate=25:duration=${seconds}`]
const tone = (seconds: number) => ['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=44100:duration=${seconds}`]

const inputs = ['-i', '@source-360.mp4', '-i', '@source-180.mp4']
const hls = ['-c', 'copy', '-f', 'hls', '-hls_time', '1', '-hls_playlist_type', 'vod']

const aes = (folder: string, iv: string): Recipe => ({
  makes: folder,
  files: { 'secret.key': '0123456789abcdef', 'key.info': `secret.key\n${folder}/secret.key\n${iv}` },
  ffmpeg: [
    ...['-i', '@source-360.mp4', ...hls, '-start_number', '7', '-hls_key_info_file', `${folder}/key.info`],
    ...['-hls_segment_filename', `${folder}/part_%03d.ts`, `${folder}/stream.m3u8`],
  ],
})

const masterWithAudio = `#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="English",DEFAULT=YES,AUTOSELECT=YES,LANGUAGE="en",URI="stream_2.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=820838,CODECS="avc1.42c01e,mp4a.40.2",RESOLUTION=640x360,AUDIO="sound"
stream_0.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=292804,CODECS="avc1.42c00c,mp4a.40.2",RESOLUTION=320x180,AUDIO="sound"
stream_1.m3u8
`

/** All files derive from two encodes of the same six seconds, so that generating them takes a few seconds. */
export const recipes: Recipe[] = [
  {
    makes: 'source-360.mp4',
    ffmpeg: [...video(6), ...tone(6), ...h264, '-b:v', '600k', '-c:a', 'aac', '-b:a', '96k', 'source-360.mp4'],
  },
  {
    makes: 'source-180.mp4',
    ffmpeg: [
      '-i',
      '@source-360.mp4',
      '-vf',
      'scale=320:180',
      ...h264,
      '-b:v',
      '150k',
      '-c:a',
      'copy',
      'source-180.mp4',
    ],
  },

  copy('source-360.mp4', 'tail-index.mp4', '-metadata', 'title=Tail index'),
  copy('source-360.mp4', 'faststart.mp4', '-movflags', '+faststart'),
  copy('source-360.mp4', 'fragmented.mp4', '-movflags', '+frag_keyframe+empty_moov'),
  copy('source-360.mp4', 'clip.mov'),
  copy('source-360.mp4', 'clip.mkv'),
  copy('source-360.mp4', 'clip.ts'),
  copy('source-360.mp4', 'clip.flv'),
  copy('source-360.mp4', 'clip.avi', '-bsf:v', 'h264_mp4toannexb'),
  copy('source-360.mp4', 'video-only.mp4', '-an', '-movflags', '+faststart'),
  {
    makes: 'clip.webm',
    ffmpeg: [
      ...['-i', '@source-180.mp4', '-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '200k'],
      ...['-c:a', 'libopus', '-b:a', '48k', 'clip.webm'],
    ],
  },
  audio('tone.m4a', '-c:a', 'copy'),
  audio('tone.aac', '-c:a', 'copy'),
  audio('tone.mp3', '-c:a', 'libmp3lame', '-b:a', '96k', '-metadata', 'title=A tone', '-metadata', 'artist=Haul'),
  audio('untagged.mp3', '-c:a', 'libmp3lame', '-b:a', '96k', '-id3v2_version', '0', '-write_xing', '0'),
  audio('tone.flac', '-c:a', 'flac'),
  {
    makes: 'noise.flac',
    ffmpeg: ['-f', 'lavfi', '-i', 'anoisesrc=d=3:c=pink:r=44100:seed=1', '-ac', '2', '-c:a', 'flac', 'noise.flac'],
  },
  audio('surround.flac', '-ac', '6', '-ar', '96000', '-c:a', 'flac'),
  audio('tone.wav', '-c:a', 'pcm_s16le'),
  audio('tone.ogg', '-c:a', 'libopus', '-b:a', '48k'),
  audio('tone.webm', '-c:a', 'libopus', '-b:a', '48k'),
  {
    makes: 'black-start.mp4',
    ffmpeg: [
      ...[...video(10), ...tone(10), '-vf', "drawbox=color=black:t=fill:enable='lt(t,3)'"],
      ...[...h264, '-b:v', '300k', '-c:a', 'aac', '-b:a', '64k', '-movflags', '+faststart', 'black-start.mp4'],
    ],
  },
  { makes: 'still.jpg', ffmpeg: ['-i', '@source-360.mp4', '-frames:v', '1', 'still.jpg'] },
  { makes: 'still.png', ffmpeg: ['-i', '@source-180.mp4', '-frames:v', '1', 'still.png'] },
  { makes: 'truncated.mp4', headOf: { file: 'faststart.mp4', fraction: 0.6 } },
  { makes: 'no-index.mp4', headOf: { file: 'tail-index.mp4', fraction: 0.6 } },
  { makes: 'empty.mp4', headOf: { file: 'faststart.mp4', fraction: 0 } },
  {
    makes: 'captions',
    files: {
      'en.vtt': 'WEBVTT\n\n00:00.500 --> 00:02.000\nA tone.\n\n00:02.500 --> 00:05.000\nStill a tone.\n',
      'de.vtt': 'WEBVTT\n\n00:00.500 --> 00:02.000\nEin Ton.\n\n00:02.500 --> 00:05.000\nImmer noch ein Ton.\n',
      'de.ttml':
        '<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="0.5s" end="2s">Ein Ton.</p></div></body></tt>',
      'empty.vtt': 'WEBVTT\n',
      'styled.ass': styled,
    },
  },
  ...captionRecipes,
  ...clipRecipes,
  ...longRecipes,

  {
    makes: 'hls-ts',
    ffmpeg: [
      ...[...inputs, '-map', '0', '-map', '1', ...hls, '-var_stream_map', 'v:0,a:0 v:1,a:1'],
      ...[
        '-master_pl_name',
        'master.m3u8',
        '-hls_segment_filename',
        'hls-ts/stream_%v_%03d.ts',
        'hls-ts/stream_%v.m3u8',
      ],
    ],
  },
  {
    makes: 'hls-fmp4',
    // ffmpeg writes no CODECS when it copies streams, but most playlists on the web have them.
    files: { 'master.m3u8': masterWithAudio },
    ffmpeg: [
      ...[...inputs, '-map', '0:v', '-map', '1:v', '-map', '0:a', ...hls, '-hls_segment_type', 'fmp4'],
      ...['-hls_fmp4_init_filename', 'init_%v.mp4', '-var_stream_map', 'v:0 v:1 a:0'],
      ...['-hls_segment_filename', 'hls-fmp4/stream_%v_%03d.m4s', 'hls-fmp4/stream_%v.m3u8'],
    ],
  },
  {
    makes: 'hls-ranges',
    ffmpeg: [
      ...['-i', '@source-360.mp4', ...hls, '-hls_segment_type', 'fmp4', '-hls_flags', 'single_file'],
      'hls-ranges/stream.m3u8',
    ],
  },
  aes('hls-aes', ''),
  aes('hls-aes-iv', '000102030405060708090a0b0c0d0e0f\n'),
  {
    makes: 'dash',
    ffmpeg: [
      ...[...inputs, '-map', '0:v', '-map', '1:v', '-map', '0:a', '-c', 'copy', '-f', 'dash', '-seg_duration', '1'],
      ...['-adaptation_sets', 'id=0,streams=v id=1,streams=a', 'dash/manifest.mpd'],
    ],
  },
]
