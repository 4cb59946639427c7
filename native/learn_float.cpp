// Learning with numbers of the type float.
#include "learning_instances.hpp"

namespace rosenblatt {

template bool learn_from<float>(const AnyRows&, const Learning&);
template bool learn_from_one<float>(const nb::dict&, const nb::dict&, const PyModel&, const PyRule&, nb::handle, double,
                                    nb::handle, PyTally&);

}  // namespace rosenblatt
