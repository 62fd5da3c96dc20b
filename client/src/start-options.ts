/** Generated from the API, and not committed. */

export const startFlags = {
  "import": [
    {
      "option": "videoQuality",
      "start": "import",
      "words": "--quality <quality>",
      "about": "at most this video quality: 720p, 1080p, best, lowest …",
      "type": "choice",
      "values": [
        "lowest",
        "144p",
        "240p",
        "360p",
        "480p",
        "720p",
        "1080p",
        "1440p",
        "2160p",
        "best"
      ]
    },
    {
      "option": "audioFormat",
      "start": "import",
      "words": "--audio [format]",
      "about": "only the audio, as it is or as mp3, m4a, opus, wav",
      "type": "choice",
      "values": [
        "source",
        "mp3",
        "m4a",
        "opus",
        "wav"
      ]
    },
    {
      "option": "clip",
      "start": "import",
      "words": "--clip <start-end>",
      "about": "only a part: 1:00-2:30, 90-, -0:30",
      "type": "clip"
    },
    {
      "option": "store",
      "start": "import",
      "words": "--store",
      "about": "copy it to the bucket of the account",
      "type": "boolean"
    },
    {
      "option": "metadata",
      "start": "import",
      "words": "--metadata <key=value>",
      "about": "note this on the job; may be repeated",
      "type": "metadata"
    }
  ],
  "transcribe": [
    {
      "option": "mode",
      "start": "transcribe",
      "words": "--mode <mode>",
      "about": "captions, speech, or auto for either (the default)",
      "type": "choice",
      "values": [
        "captions",
        "speech",
        "auto"
      ]
    },
    {
      "option": "provider",
      "start": "transcribe",
      "words": "--provider <provider>",
      "about": "recognize the speech: builtin, openai …",
      "type": "choice",
      "values": [
        "provider_a",
        "provider_b",
        "provider_c",
        "openai",
        "deepgram",
        "assemblyai",
        "builtin"
      ]
    },
    {
      "option": "maxCostDollars",
      "start": "transcribe",
      "words": "--max-cost <dollars>",
      "about": "the most that it may cost (with auto: 1)",
      "type": "dollars"
    },
    {
      "option": "language",
      "start": "transcribe",
      "words": "--language <code>",
      "about": "the language of the captions or the speech: de",
      "type": "text"
    },
    {
      "option": "clip",
      "start": "transcribe",
      "words": "--clip <start-end>",
      "about": "only a part: 1:00-2:30, 90-, -0:30",
      "type": "clip"
    },
    {
      "option": "words",
      "start": "transcribe",
      "words": "--words",
      "about": "the time of each word, in --format json",
      "type": "boolean"
    },
    {
      "option": "speakers",
      "start": "transcribe",
      "words": "--speakers",
      "about": "who speaks: A, B and so on",
      "type": "speakers"
    },
    {
      "option": "speakers",
      "start": "transcribe",
      "words": "--speaker-count <number>",
      "about": "who speaks, and how many: 2, 2-4",
      "type": "speakers"
    },
    {
      "option": "keywords",
      "start": "transcribe",
      "words": "--keywords <list>",
      "about": "names and terms that may be said: \"Zoe, Haul\"",
      "type": "list"
    },
    {
      "option": "prompt",
      "start": "transcribe",
      "words": "--prompt <text>",
      "about": "what the speech is about",
      "type": "text"
    },
    {
      "option": "translate",
      "start": "transcribe",
      "words": "--translate <code>",
      "about": "translate the speech: en",
      "type": "text"
    },
    {
      "option": "metadata",
      "start": "transcribe",
      "words": "--metadata <key=value>",
      "about": "note this on the job; may be repeated",
      "type": "metadata"
    }
  ],
  "batch": [
    {
      "option": "limit",
      "start": "batch",
      "words": "--limit <number>",
      "about": "of a playlist: the most entries (default: 50)",
      "type": "integer"
    },
    {
      "option": "maxCostDollars",
      "start": "batch",
      "words": "--max-cost <dollars>",
      "about": "the most that the batch may cost",
      "type": "dollars"
    },
    {
      "option": "mode",
      "start": "transcribe",
      "words": "--mode <mode>",
      "about": "with --transcribe: captions (the default), speech or auto",
      "type": "choice",
      "values": [
        "captions",
        "speech",
        "auto"
      ]
    },
    {
      "option": "provider",
      "start": "transcribe",
      "words": "--provider <provider>",
      "about": "with --transcribe: recognize the speech: builtin …",
      "type": "choice",
      "values": [
        "provider_a",
        "provider_b",
        "provider_c",
        "openai",
        "deepgram",
        "assemblyai",
        "builtin"
      ]
    },
    {
      "option": "language",
      "start": "transcribe",
      "words": "--language <code>",
      "about": "with --transcribe: the language: de",
      "type": "text"
    },
    {
      "option": "videoQuality",
      "start": "import",
      "words": "--quality <quality>",
      "about": "at most this video quality: 720p …",
      "type": "choice",
      "values": [
        "lowest",
        "144p",
        "240p",
        "360p",
        "480p",
        "720p",
        "1080p",
        "1440p",
        "2160p",
        "best"
      ]
    },
    {
      "option": "audioFormat",
      "start": "import",
      "words": "--audio [format]",
      "about": "only the audio, as it is or as mp3, m4a, opus, wav",
      "type": "choice",
      "values": [
        "source",
        "mp3",
        "m4a",
        "opus",
        "wav"
      ]
    },
    {
      "option": "store",
      "start": "import",
      "words": "--store",
      "about": "copy the files to the bucket of the account",
      "type": "boolean"
    },
    {
      "option": "metadata",
      "start": "batch",
      "words": "--metadata <key=value>",
      "about": "note this on the batch and its jobs; may be repeated",
      "type": "metadata"
    }
  ]
} as const

export const transcribeOptionNames = ["mode","provider","maxCostDollars","language","apiKey","clip","words","speakers","keywords","prompt","translate","captionsFirst","reuseWithinSeconds","providerOptions","webhookUrl","metadata"] as const
