"""The workflows behind all interfaces, and the only package that combines the others."""
# ruff: noqa: I001  one list, one name a line

from typing import TYPE_CHECKING

from proctor.plugins import files_of

if TYPE_CHECKING:
    from proctor.workflows import (
        agent_test as agent_test,
        case_slice as case_slice,
        change as change,
        checks as checks,
        compare as compare,
        contests as contests,
        demo as demo,
        destination as destination,
        doctor as doctor,
        evaluate as evaluate,
        export as export,
        failure_map as failure_map,
        failure_names as failure_names,
        gates as gates,
        harvest as harvest,
        history as history,
        human_labels as human_labels,
        import_run as import_run,
        init as init,
        judges as judges,
        load as load,
        noise as noise,
        people as people,
        plan as plan,
        prepare as prepare,
        progress as progress,
        read as read,
        request as request,
        rescore as rescore,
        resume as resume,
        run_filter as run_filter,
        run_group as run_group,
        run_limits as run_limits,
        stop_early as stop_early,
        store_url as store_url,
        tournament as tournament,
        workers as workers,
    )
else:
    __getattr__ = files_of(__name__)
