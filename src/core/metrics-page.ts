/** All metrics, as they are printed. */
export interface MetricsPage {
  readonly contentType: string;
  readonly text: string;
}

/** Where the metrics come from. */
export interface MetricsSource {
  read(): Promise<MetricsPage>;
}
