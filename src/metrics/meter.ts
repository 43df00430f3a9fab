/**
 * Measures, where metrics are on: `installSdkRuntime` gives the SDK's meter. Without one every function here returns at
 * once. None ever throws: no call may fail for being measured.
 */
import type { MetricMeter, MetricTags } from '@temporalio/common';
import { type LabelsOf, METRICS, type MetricName, type Named } from './definitions';

type Instrument = (value: number, labels: MetricTags) => void;

let meter: MetricMeter | undefined;
const instruments = new Map<MetricName, Instrument>();

/** From now on it is measured with this meter; undefined: nothing is. */
export function measureWith(given: MetricMeter | undefined): void {
  meter = given;
  instruments.clear();
}

/** Whether anybody may read what is measured; else it need not be asked for. */
export const isMeasured = (): boolean => meter !== undefined;

export const count = <N extends Named<'counter'>>(name: N, labels: LabelsOf<N>, by = 1): void =>
  measure(name, by, labels);

/** The SDK's gauges take nothing below 0. */
export const gauge = <N extends Named<'gauge'>>(name: N, labels: LabelsOf<N>, value: number): void =>
  measure(name, Math.max(0, value), labels);

export const observe = <N extends Named<'histogram'>>(name: N, labels: LabelsOf<N>, value: number): void =>
  measure(name, value, labels);

function measure(name: MetricName, value: number, labels: MetricTags): void {
  if (!meter || Number.isNaN(value)) return;
  try {
    const instrument = instruments.get(name) ?? instrumentOf(meter, name);
    instruments.set(name, instrument);
    instrument(value, labels);
  } catch {
    // A number is missing; what it is about goes on.
  }
}

function instrumentOf(from: MetricMeter, name: MetricName): Instrument {
  const { kind, unit, about } = METRICS[name];
  switch (kind) {
    case 'counter': {
      const counter = from.createCounter(name, unit, about);
      return (value, labels) => counter.add(Math.round(value), labels);
    }
    case 'gauge': {
      const made = from.createGauge(name, 'float', unit, about);
      return (value, labels) => made.set(value, labels);
    }
    case 'histogram': {
      const histogram = from.createHistogram(name, 'float', unit, about);
      return (value, labels) => histogram.record(value, labels);
    }
  }
}
