/** S7: the account goes on as soon as the service answers again, also where it tells the balance in no body. */
import { until } from '../support/until';
import { inScene } from './support/scene';

test('a hold for the kill switch ends with a success that has no body', () =>
  inScene({}, async (scene) => {
    await scene.stage.startWorker();
    const { control } = scene.stage.sandbox;
    const held = async () => (await scene.ledgerStatus()).holds.map(({ kind }) => kind);
    // The token's owner is known.
    await until(() =>
      held().then(
        () => true,
        () => false,
      ),
    );
    control.setAgentApi({ enabled: false });
    const run = await scene.convert(scene.lead());
    await until(async () => (await held()).includes('killSwitch'));
    control.addFault({ route: 'account.credits', fault: 'empty', times: 10_000 });
    control.setAgentApi({ enabled: true });
    await until(async () => (await held()).length === 0);
    expect(await run.result()).toMatchObject({ outcome: 'converted', credits: 1_000 });
  }));
