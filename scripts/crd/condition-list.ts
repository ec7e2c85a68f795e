import { integer, list, object, text, type Schema } from './schema.ts';

/** Schema of the conditions of a kind of backups. */
export const conditionList = (description: string): Schema =>
  list(
    description,
    object(
      'Condition.',
      {
        type: text('Type of the condition.'),
        status: text('True, False or Unknown.', { enum: ['True', 'False', 'Unknown'] }),
        reason: text('Reason in CamelCase.'),
        message: text('Explanation.'),
        observedGeneration: integer('Generation of the spec.', 'int64'),
        lastTransitionTime: text('Time of the last change of the status.', {
          format: 'date-time',
        }),
      },
      { required: ['type', 'status'] },
    ),
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
  );
