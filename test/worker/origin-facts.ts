/** What the small internet of the tests says of its film. */
export const FILM_BYTES = 15_342_100
/** At a cent for each MB. */
export const filmCost = 0.153421
