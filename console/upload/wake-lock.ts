/** Keeps the screen of a phone on during an upload. Returns a function that releases it. */
export function keepScreenOn(): () => void {
  let lock: WakeLockSentinel | undefined
  let over = false
  const ask = async () => {
    if (over || document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return
    // A low battery refuses it, which does no harm.
    lock = await navigator.wakeLock.request('screen').catch(() => undefined)
    if (over) void lock?.release()
  }
  // The browser releases the lock when the page is hidden.
  document.addEventListener('visibilitychange', ask)
  void ask()
  return () => {
    over = true
    document.removeEventListener('visibilitychange', ask)
    void lock?.release()
  }
}
