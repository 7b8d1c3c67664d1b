/** How many blocks an answer may be made of and still be kept: the denylist is asked about each. */
export const MOST_GIVEN = 1000
