/** Settings of the search of the site. VitePress copies the functions to the browser as text, so they use nothing outside of themselves. */

/** Options of a search in MiniSearch. */
export const SEARCH_OPTIONS = {
  /** Words that occur in every question and say nothing about its answer. */
  processTerm: (word: string): string => {
    const term = word.toLowerCase();
    const words =
      'a an and another are be by can do does for from has have how i in is it its me my no not of on or so that the their there this to was what when where which who why with you your';
    return words.split(' ').includes(term) ? '' : term;
  },
  /** Pages that explain come before lists of all fields, decisions, and pages of providers and contributors. */
  boostDocument: (id: string): number =>
    /(?:^|\/)(?:adr|contribute|providers|reference|repository)\/|security(?:\.html|\.md)?(?:#|$)/.test(
      id,
    )
      ? 0.2
      : 1,
};
