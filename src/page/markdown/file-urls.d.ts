/** URL of a file that Vite copies into the build. */
declare module "*?url" {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: this is how Vite exports it
  export default url;
}
