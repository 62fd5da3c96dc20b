/** QuickTime's language codes (QuickTime File Format, "Language code values"), by number. Later ones are not in use. */
export const macintoshLanguages: readonly (string | undefined)[] = (
  'en fr de it nl sv es da pt no he ja ar fi el is mt tr hr zh-Hant ur hi th ko lt pl hu et lv se fo fa ru zh-Hans ' +
  'nl-BE ga sq ro cs sk sl yi sr mk bg uk be uz kk az'
).split(' ')
