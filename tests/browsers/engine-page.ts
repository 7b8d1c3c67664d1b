/** A page of a browser, with as much as both drivers can do: Playwright's for Chromium and Firefox, WebDriver for WebKit. */
export interface EnginePage {
  goto(url: string): Promise<void>
  /** What an expression of JavaScript is in the page. */
  read(expression: string): Promise<unknown>
  /**
   * The same in a frame of the page, of another origin too: the first that this selector finds. Of frames in frames the selectors
   * follow each other, with ` >> ` between them.
   */
  readInFrame(selector: string, expression: string): Promise<unknown>
  /** Waits for an element of this selector that is shown (fields for files never are) and contains `text`. */
  see(selector: string, text?: string): Promise<unknown>
  click(selector: string, text?: string): Promise<void>
  /** Gives the window another size, as nearly as its system lets it have that. */
  resize(width: number, height: number): Promise<void>
  /** Types into a field; into one for files, the path of one. */
  type(selector: string, text: string): Promise<void>
}

/** A browser that shows one page. */
export interface Engine {
  page: EnginePage
  close(): Promise<void>
}
