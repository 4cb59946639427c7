// Learning with numbers of the type double.
#include "learning_instances.hpp"

namespace rosenblatt {

template bool learn_from<double>(const AnyRows&, const Learning&);
template bool learn_from_one<double>(const nb::dict&, const nb::dict&, const PyModel&, const PyRule&, nb::handle,
                                     double, nb::handle, PyTally&);

}  // namespace rosenblatt
