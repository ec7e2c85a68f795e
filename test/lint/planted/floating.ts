export async function work(): Promise<void> {}

export function forgets(): void {
  work();
}
